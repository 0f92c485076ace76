package main

import (
	"path/filepath"
	"testing"
)

func TestEveryExplanationIsOfAMutantThatThereIs(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	made, err := mutate(root, folders)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := explanations(explainedText, made.mutations); err != nil {
		t.Error(err)
	}
}
