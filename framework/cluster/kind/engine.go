package kind

import "context"

// EngineAnswers fails where no Docker engine does, and says what to do about it.
func EngineAnswers(ctx context.Context) error {
	_, err := findEngine(ctx)
	return err
}
