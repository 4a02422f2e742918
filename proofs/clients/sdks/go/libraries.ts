import { join } from "node:path";
import type { Client } from "../../client.ts";

/** The client of a Go library: its program runs the checks, one after the other. */
function goClient({ main, packages, ...client }: Pick<Client, "id" | "name" | "settings"> & GoProgram): Client {
  return {
    ...client,
    install: { from: "go", packages, main: new URL(main, import.meta.url) },
    scenarios: [
      {
        name: "the library's checks",
        run: (session) => session.runChecks(join(session.installed.folder, "client"), []),
      },
    ],
  };
}

interface GoProgram {
  readonly main: string;
  readonly packages: Readonly<Record<string, string>>;
}

/** Go libraries, at the versions that were current when they were added here. */
export const GO_CLIENTS: readonly Client[] = [
  goClient({
    id: "openai-go",
    name: "openai-go",
    main: "openai.go",
    packages: { "github.com/openai/openai-go/v3": "v3.98.0" },
    settings: `\`\`\`go
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
)

func main() {
	client := openai.NewClient(option.WithBaseURL("http://127.0.0.1:8787/v1"), option.WithAPIKey(os.Getenv("CAMINO_API_KEY")))
	response, err := client.Responses.New(context.Background(), responses.ResponseNewParams{
		Model: "openai/gpt-5.5",
		Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("Say hello.")},
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(response.OutputText())
}
\`\`\``,
  }),
  goClient({
    id: "anthropic-go",
    name: "anthropic-sdk-go",
    main: "anthropic.go",
    packages: { "github.com/anthropics/anthropic-sdk-go": "v1.84.0" },
    settings: `The SDK adds \`/v1\` itself.

\`\`\`go
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

func main() {
	client := anthropic.NewClient(option.WithBaseURL("http://127.0.0.1:8787"), option.WithAPIKey(os.Getenv("CAMINO_API_KEY")))
	message, err := client.Messages.New(context.Background(), anthropic.MessageNewParams{
		Model:     "anthropic/claude-sonnet-5-5",
		MaxTokens: 256,
		Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("Say hello."))},
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(message.Content[0].Text)
}
\`\`\``,
  }),
];
