package controlplane

// Missing lists the programs among those wanted that Ensure would have to build, in the order of Names. It builds nothing, and fails as Ensure does where the
// user asks for what cannot be.
func Missing(options Options) ([]string, error) {
	wanted, err := selected(options.Names)
	if err != nil {
		return nil, err
	}
	cache, err := cacheDir(options.CacheDir)
	if err != nil {
		return nil, err
	}
	modules, err := toolModules(options, moduleNames(wanted))
	if err != nil {
		return nil, err
	}
	var missing []string
	for _, p := range wanted {
		shelf := shelfOf(cache, modules[p.module], options.Out)
		if !readRecord(shelf.path(p)).untouched(shelf.path(p), shelf.module) {
			missing = append(missing, p.name)
		}
	}
	return missing, nil
}

// CacheDir is the folder in which programs are kept that Options.CacheDir does not place: "rollcall" in os.UserCacheDir. It need not exist.
func CacheDir() (string, error) { return cacheDir("") }
