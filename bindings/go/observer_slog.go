//go:build cgo && go1.21

package tonnx

import (
	"context"
	"log/slog"
)

// NewLogObserver creates an observer that ends calls when the context is done, and passes log messages and warnings to
// a logger, with the attributes stage, category, module and source. The level is that of the logger.
func NewLogObserver(ctx context.Context, logger *slog.Logger) *Observer {
	level := LevelWarning
	switch {
	case logger.Enabled(ctx, slog.LevelDebug):
		level = LevelDebug
	case logger.Enabled(ctx, slog.LevelInfo):
		level = LevelInfo
	}
	return &Observer{Context: ctx, Level: level, Observe: func(event Event) error {
		if event.Kind == EventProgress {
			return nil
		}
		how := map[Level]slog.Level{LevelDebug: slog.LevelDebug, LevelInfo: slog.LevelInfo, LevelWarning: slog.LevelWarn}
		attributes := []slog.Attr{slog.String("stage", event.Stage)}
		if event.Category != CategoryNone {
			attributes = append(attributes, slog.String("category", event.Category.String()))
		}
		if event.Module != "" {
			attributes = append(attributes, slog.String("module", event.Module))
		}
		if event.Source != "" {
			attributes = append(attributes, slog.String("source", event.Source))
		}
		logger.LogAttrs(ctx, how[event.Level], event.Text, attributes...)
		return nil
	}}
}
