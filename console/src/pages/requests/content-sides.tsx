import { useNavigate } from "@tanstack/react-router";
import type { Content } from "../../../../contract/contents.ts";
import { Button } from "../../kit/button.tsx";
import { CodeBlock } from "../../kit/code-block.tsx";
import { Notice } from "../../kit/states.tsx";
import { toast } from "../../kit/toast.tsx";
import { useMay } from "../../kit/use-account.ts";
import { openInPlayground } from "../playground/chat/opened-form.ts";
import { readBody } from "../playground/chat/read-body.ts";

const LEFT_OUT = {
  large: "It was larger than what is kept.",
  bytes: "It was no text.",
  not_maskable: "It was a stream in which a mask might have missed something.",
} as const;

/** What went to the vendor and what the client got, with the way to the playground where it was a conversation. */
export function ContentSides({ of: content }: { of: Content }) {
  const { sent, answer, left_out, error } = content;
  return (
    <div className="space-y-4">
      <ToPlayground of={content} />
      <Side title="Request" text={sent} why={left_out.sent} />
      <Side title="Answer" text={answer} why={left_out.answer} />
      {error !== null && (
        <Notice tone="danger">
          It ended with <code className="font-mono">{error}</code>
        </Notice>
      )}
    </div>
  );
}

function ToPlayground({ of: { account, model, endpoint, sent } }: { of: Content }) {
  const may = useMay();
  const navigate = useNavigate();
  const read = sent === null ? null : readBody(sent, { model, endpoint });
  if (read === null || !may("playground:use")) return null;
  const open = () => {
    openInPlayground(account, read);
    if (read.is_partial) toast("Texts are taken along; pictures, files and tools are not");
    void navigate({ to: "/playground", search: { account, model, style: read.content.style } });
  };
  return (
    <Button icon="playground" onClick={open}>
      Open in the playground
    </Button>
  );
}

function Side({ title, text, why }: { title: string; text: string | null; why: keyof typeof LEFT_OUT | undefined }) {
  return (
    <section aria-label={title} className="space-y-1.5">
      <h3 className="font-medium">{title}</h3>
      {text === null ? (
        <p className="text-ink-soft">{why === undefined ? "Nothing came back." : LEFT_OUT[why]}</p>
      ) : (
        <div className="max-h-96 overflow-auto rounded-lg">
          <CodeBlock code={readable(text)} label={title} />
        </div>
      )}
    </section>
  );
}

/** JSON with its members below each other. */
function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
