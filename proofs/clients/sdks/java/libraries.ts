import { join } from "node:path";
import type { Client } from "../../client.ts";
import type { Session } from "../../session.ts";

const LOCAL = { pom: new URL("pom.xml", import.meta.url), script: new URL("anthropic.java", import.meta.url).pathname };

/** Runs a program of one file with the libraries of the client. */
async function runScript(session: Session, path: string): Promise<void> {
  const java = Bun.which("java");
  if (java === null) throw new Error("needs Java 17 on the PATH");
  await session.runChecks(java, ["-cp", join(session.installed.folder, "lib/*"), path]);
}

/** Java libraries, at the versions that were current when they were added here. */
export const JAVA_CLIENTS: readonly Client[] = [
  {
    id: "anthropic-java",
    name: "anthropic-java",
    install: { from: "maven", packages: { "com.anthropic:anthropic-java": "3.14.0" }, pom: LOCAL.pom },
    settings: `The SDK adds \`/v1\` itself.

\`\`\`java
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.models.messages.MessageCreateParams;

class Settings {
    public static void main(String[] args) {
        var client = AnthropicOkHttpClient.builder()
            .baseUrl("http://127.0.0.1:8787")
            .apiKey(System.getenv("CAMINO_API_KEY"))
            .build();
        var asked = MessageCreateParams.builder()
            .model("anthropic/claude-sonnet-5-5")
            .maxTokens(256)
            .addUserMessage("Say hello.")
            .build();
        System.out.println(client.messages().create(asked).content());
        client.close();
    }
}
\`\`\``,
    scenarios: [
      { name: "the library's checks", timeout_ms: 240_000, run: (session) => runScript(session, LOCAL.script) },
    ],
  },
];
