package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/publication"
)

// verifyPublication is `rollcall verify`: whether a published report is what it says.
func verifyPublication(ctx context.Context, args []string, out io.Writer) (int, error) {
	flags := newFlags("verify", out)
	describe(flags, `rollcall verify [-recordings RUN] [-signers FILE -signer NAME] FOLDER

Checks a published report: that it is the one that its digests are of; with -recordings, that these are the run's, and that judging them again gives every verdict of
the report, byte for byte; with -signers, that the digests were signed by -signer, whose key is in that file, in the form of ssh-keygen(1), ALLOWED SIGNERS.

What was not checked is said. Exit code: 0 all that was checked is so, 1 something is not, 2 bad input.
`)
	recordings := flags.String("recordings", "", "`folder` of the run that was published, with its recordings")
	signers := flags.String("signers", "", "`file` of keys that may sign, as ssh-keygen has it")
	signer := flags.String("signer", "", "`name` in that file of who should have signed")
	if err := parseFlags(flags, args); err != nil {
		return exitUsage, err
	}
	if flags.NArg() != 1 {
		return exitUsage, usagef("name the folder of one publication, such as %s", filepath.Join(publishedFolder, "example-controller", "v1.0.0", "kind"))
	}
	if (*signers == "") != (*signer == "") {
		return exitUsage, usagef("-signers and -signer go together: the file of keys, and whose it should be")
	}
	if *recordings != "" {
		if _, err := os.ReadDir(filepath.Join(*recordings, recordingsFolder)); err != nil {
			return exitUsage, usagef("-recordings: %s is not the folder of a run: %w", *recordings, err)
		}
	}
	if *signers != "" {
		if _, err := os.ReadFile(*signers); err != nil {
			return exitUsage, usagef("-signers: %w", err)
		}
	}
	folder := flags.Arg(0)
	sums, err := publication.ReadSums(folder)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return exitUsage, usagef("%s is not the folder of a publication, which `rollcall publish` makes: %w", folder, err)
	}
	if err != nil {
		return exitUsage, usageError{err}
	}
	code := exitConformant
	tell := func(what string, err error) {
		if err == nil {
			fmt.Fprintf(out, "ok       %s\n", what)
			return
		}
		code = exitNotConformant
		fmt.Fprintf(out, "WRONG    %s: %s\n", what, strings.ReplaceAll(err.Error(), "\n", "\n           "))
	}
	tell("the report is the one that was published", sums.CheckReport(folder))
	if *recordings == "" {
		fmt.Fprintf(out, "not done %d recordings were not judged again: -recordings\n", len(sums.Recordings()))
	} else {
		tell("the recordings are those of the run", sums.CheckRecordings(os.DirFS(*recordings)))
		tell("judging them again gives the report's verdicts", judgedAs(*recordings, folder))
	}
	if *signers == "" {
		fmt.Fprintln(out, "not done the signature was not checked: -signers and -signer")
	} else {
		tell("signed by "+*signer, checkSignature(ctx, folder, *signers, *signer))
	}
	return code, nil
}

// checkSignature asks ssh-keygen.
func checkSignature(ctx context.Context, folder, signers, signer string) error {
	signed, err := os.ReadFile(filepath.Join(folder, publication.SumsFile))
	if err != nil {
		return err
	}
	signature := filepath.Join(folder, publication.SignatureFile)
	if _, err := os.Stat(signature); err != nil {
		return errors.New("it is not signed")
	}
	command := exec.CommandContext(ctx, "ssh-keygen", "-Y", "verify", "-n", publication.Namespace, "-f", signers, "-I", signer, "-s", signature)
	command.Stdin = bytes.NewReader(signed)
	said, err := command.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(said))
	}
	return nil
}

// judgedAs says in what the recordings of a run, judged again, differ from the report in the folder.
func judgedAs(run, folder string) error {
	specs := specTree()
	catalogue, err := requirements.Load()
	if err != nil {
		return err
	}
	recordings, root, err := recordingsIn(run)
	if err != nil {
		return err
	}
	var all []judged
	for _, recording := range recordings {
		j, err := judgeRecording(recording, root, catalogue)
		if err != nil {
			return err
		}
		all = append(all, j)
	}
	again, err := reports.Assemble(outcomesAgain(all, specs, catalogue))
	if err != nil {
		return err
	}
	var said bytes.Buffer
	path := filepath.Join(folder, reports.YAMLFile)
	before, unread := readReport(path)
	if compare(&said, path, before, unread, again) != exitConformant {
		return errors.New(said.String())
	}
	return nil
}
