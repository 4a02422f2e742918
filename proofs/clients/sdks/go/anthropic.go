// Command client checks anthropic-sdk-go against the gateway. Each check prints one line of JSON, which the session reads.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

var client = anthropic.NewClient(
	option.WithBaseURL(os.Getenv("CAMINO_URL")),
	option.WithAPIKey(os.Getenv("CAMINO_API_KEY")),
	option.WithMaxRetries(0),
)

func model(kind string) anthropic.Model { return anthropic.Model(os.Getenv("CAMINO_VENDOR") + "/" + kind) }

func check(name string, run func() error) {
	line := map[string]any{"check": name, "ok": true}
	if err := run(); err != nil {
		line["ok"] = false
		line["detail"] = err.Error()
	}
	text, _ := json.Marshal(line)
	fmt.Println(string(text))
}

func expect(ok bool, found any) error {
	if ok {
		return nil
	}
	return fmt.Errorf("found %v", found)
}

func textOf(message anthropic.Message) string {
	text := ""
	for _, block := range message.Content {
		if block.Type == "text" {
			text += block.Text
		}
	}
	return text
}

func said(blocks ...anthropic.ContentBlockParamUnion) []anthropic.MessageParam {
	return []anthropic.MessageParam{anthropic.NewUserMessage(blocks...)}
}

func main() {
	ctx := context.Background()
	tools := []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{
		Name: "weather",
		InputSchema: anthropic.ToolInputSchemaParam{
			Properties: map[string]any{"city": map[string]string{"type": "string"}},
			Required:   []string{"city"},
		},
	}}}
	check("streams with usage", func() error {
		stream := client.Messages.NewStreaming(ctx, anthropic.MessageNewParams{
			Model: model("echo"), MaxTokens: 99, Messages: said(anthropic.NewTextBlock("one two")),
		})
		whole := anthropic.Message{}
		for stream.Next() {
			if err := whole.Accumulate(stream.Current()); err != nil {
				return err
			}
		}
		if stream.Err() != nil {
			return stream.Err()
		}
		return expect(textOf(whole) == "Simulated answer: one two" && whole.Usage.OutputTokens > 0, textOf(whole))
	})
	check("a tool loop with thinking given back", func() error {
		messages := said(anthropic.NewTextBlock("Go"))
		for range 4 {
			message, err := client.Messages.New(ctx, anthropic.MessageNewParams{
				Model: model("reason"), MaxTokens: 4000, Messages: messages, Tools: tools,
				Thinking: anthropic.ThinkingConfigParamOfEnabled(1024),
			})
			if err != nil {
				return err
			}
			results := []anthropic.ContentBlockParamUnion{}
			for _, block := range message.Content {
				if block.Type == "tool_use" {
					results = append(results, anthropic.NewToolResultBlock(block.ID, "done", false))
				}
			}
			if len(results) == 0 {
				return expect(strings.Contains(textOf(*message), "done"), textOf(*message))
			}
			messages = append(messages, message.ToParam(), anthropic.NewUserMessage(results...))
		}
		return errors.New("goes on calling")
	})
	check("sees an image", func() error {
		message, err := client.Messages.New(ctx, anthropic.MessageNewParams{
			Model: model("vision"), MaxTokens: 99,
			Messages: said(anthropic.NewImageBlockBase64("image/png", pixel), anthropic.NewTextBlock("What?")),
		})
		if err != nil {
			return err
		}
		return expect(strings.Contains(textOf(*message), "1 image: image/png"), textOf(*message))
	})
	check("errors have their true status", func() error {
		for kind, status := range map[string]int{"fail-400": 400, "fail-429": 429, "fail-503": 502} {
			_, err := client.Messages.New(ctx, anthropic.MessageNewParams{
				Model: model(kind), MaxTokens: 9, Messages: said(anthropic.NewTextBlock("x")),
			})
			var refused *anthropic.Error
			if !errors.As(err, &refused) || refused.StatusCode != status {
				return fmt.Errorf("%s: %v", kind, err)
			}
		}
		return nil
	})
}
