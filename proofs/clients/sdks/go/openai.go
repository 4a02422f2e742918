// Command client checks openai-go against the gateway. Each check prints one line of JSON, which the session reads.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
)

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

var client = openai.NewClient(
	option.WithBaseURL(os.Getenv("CAMINO_URL")+"/v1"),
	option.WithAPIKey(os.Getenv("CAMINO_API_KEY")),
	option.WithMaxRetries(0),
)

func model(kind string) string { return os.Getenv("CAMINO_VENDOR") + "/" + kind }

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

func said(text string) []openai.ChatCompletionMessageParamUnion {
	return []openai.ChatCompletionMessageParamUnion{openai.UserMessage(text)}
}

func main() {
	ctx := context.Background()
	parameters := openai.FunctionParameters{
		"type":                 "object",
		"properties":           map[string]any{"city": map[string]string{"type": "string"}},
		"required":             []string{"city"},
		"additionalProperties": false,
	}
	tools := []openai.ChatCompletionToolUnionParam{
		openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{Name: "weather", Parameters: parameters}),
	}
	check("chat streams with usage", func() error {
		stream := client.Chat.Completions.NewStreaming(ctx, openai.ChatCompletionNewParams{
			Model:         model("echo"),
			Messages:      said("one two"),
			StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
		})
		whole := openai.ChatCompletionAccumulator{}
		for stream.Next() {
			if !whole.AddChunk(stream.Current()) {
				return errors.New("a chunk could not be added")
			}
		}
		if stream.Err() != nil {
			return stream.Err()
		}
		text := whole.Choices[0].Message.Content
		return expect(text == "Simulated answer: one two" && whole.Usage.CompletionTokens > 0, text)
	})
	for _, kind := range []string{"tools-until-done", "reason"} {
		check("chat tool loop, "+kind, func() error {
			messages := said("Go")
			for range 4 {
				answer, err := client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{Model: model(kind), Messages: messages, Tools: tools})
				if err != nil {
					return err
				}
				message := answer.Choices[0].Message
				if len(message.ToolCalls) == 0 {
					return expect(strings.Contains(message.Content, "done"), message.Content)
				}
				messages = append(messages, message.ToParam())
				for _, call := range message.ToolCalls {
					messages = append(messages, openai.ToolMessage("done", call.ID))
				}
			}
			return errors.New("goes on calling")
		})
	}
	check("chat sees an image", func() error {
		parts := []openai.ChatCompletionContentPartUnionParam{
			openai.TextContentPart("What?"),
			openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: "data:image/png;base64," + pixel}),
		}
		answer, err := client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
			Model: model("vision"), Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(parts)},
		})
		if err != nil {
			return err
		}
		return expect(strings.Contains(answer.Choices[0].Message.Content, "1 image: image/png"), answer.Choices[0].Message.Content)
	})
	check("responses stream", func() error {
		stream := client.Responses.NewStreaming(ctx, responses.ResponseNewParams{
			Model: model("echo"),
			Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("one two")},
		})
		text := ""
		for stream.Next() {
			if event := stream.Current(); event.Type == "response.completed" {
				text = event.Response.OutputText()
			}
		}
		if stream.Err() != nil {
			return stream.Err()
		}
		return expect(text == "Simulated answer: one two", text)
	})
	check("errors have their true status", func() error {
		for kind, status := range map[string]int{"fail-400": 400, "fail-429": 429, "fail-503": 502} {
			_, err := client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{Model: model(kind), Messages: said("x")})
			var refused *openai.Error
			if !errors.As(err, &refused) || refused.StatusCode != status {
				return fmt.Errorf("%s: %v", kind, err)
			}
		}
		return nil
	})
}
