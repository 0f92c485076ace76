package main

import (
	"bytes"
	"fmt"
	"runtime/debug"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// sbomSuffix is behind the name of a binary in that of its SBOM.
const sbomSuffix = ".cdx.json"

// sbom lists the modules that are in a binary, by what the Go toolchain recorded there. It has neither time nor serial number: the same binary has the same.
func sbom(p platform, info *debug.BuildInfo, digest string) ([]byte, error) {
	bom := cdx.NewBOM()
	main := component(cdx.ComponentTypeApplication, info.Main.Path, info.Main.Version)
	main.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: digest}}
	main.Properties = &[]cdx.Property{{Name: "platform", Value: p.system + "/" + p.processor}}
	bom.Metadata = &cdx.Metadata{Component: &main}
	components := []cdx.Component{component(cdx.ComponentTypeLibrary, "std", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		library := component(cdx.ComponentTypeLibrary, module.Path, module.Version)
		// The digest of Go's checksum database.
		library.Properties = &[]cdx.Property{{Name: "go.sum", Value: module.Sum}}
		components = append(components, library)
	}
	bom.Components = &components
	var text bytes.Buffer
	if err := cdx.NewBOMEncoder(&text, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6); err != nil {
		return nil, fmt.Errorf("write the SBOM of %s: %w", p.file(), err)
	}
	return text.Bytes(), nil
}

func component(kind cdx.ComponentType, path, version string) cdx.Component {
	purl := fmt.Sprintf("pkg:golang/%s@%s", path, version)
	return cdx.Component{BOMRef: purl, Type: kind, Name: path, Version: version, PackageURL: purl}
}
