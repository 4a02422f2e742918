import { useApi } from "../../api/use-api.ts";
import { Card } from "../../kit/card.tsx";
import { CodeBlock } from "../../kit/code-block.tsx";
import { PageHeader } from "../../kit/page-header.tsx";
import { Loaded, Notice } from "../../kit/states.tsx";

/** The configuration in force as a file, with the variables that stand in it for secrets. */
export function ExportPage() {
  const exported = useApi("GET /configuration/export", {});
  return (
    <>
      <PageHeader
        title="As a file"
        description="Everything in effect, from the file, the catalog and the console. A gateway that reads it offers the same."
        breadcrumb={[{ label: "Configuration", to: "/admin/configuration" }]}
      />
      <Loaded query={exported}>
        {({ text, variables }) => (
          <div className="space-y-5">
            {variables.length > 0 && (
              <Notice>
                Secrets appear in it as variables:
                <ul className="mt-1 list-disc pl-5">
                  {variables.map(({ name, holds, set }) => (
                    <li key={name}>
                      <span className="font-mono text-[0.88rem]">{name}</span>: {holds}
                      {set ? " (this gateway's environment has it)" : ""}
                    </li>
                  ))}
                </ul>
              </Notice>
            )}
            <Card title="camino.yaml">
              <CodeBlock label="camino.yaml" code={text} />
            </Card>
          </div>
        )}
      </Loaded>
    </>
  );
}
