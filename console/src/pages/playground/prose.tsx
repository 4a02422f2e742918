import { memo, type ReactNode } from "react";
import { CodeBlock } from "../../kit/code-block.tsx";
import { type Block, proseBlocks, proseSpans, type Span } from "./prose-blocks.ts";

/** A model's text for reading: paragraphs, lists and code. Never HTML: a model's text is shown, not run. */
export const Prose = memo(function Prose({ text }: { text: string }) {
  return (
    <div className="min-w-0 space-y-3 break-words">
      {proseBlocks(text).map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks are added only at the end
        <BlockView key={index} block={block} />
      ))}
    </div>
  );
});

function BlockView({ block }: { block: Block }) {
  switch (block.kind) {
    case "code":
      return <CodeBlock code={block.code} label={block.language === "" ? "code" : `${block.language} code`} />;
    case "heading":
      return <p className="text-[1.05rem] font-semibold">{spansOf(block.text)}</p>;
    case "paragraph":
      return <p className="whitespace-pre-wrap">{spansOf(block.text)}</p>;
    case "list": {
      const List = block.ordered ? "ol" : "ul";
      return (
        <List className={`space-y-1 pl-5 ${block.ordered ? "list-decimal" : "list-disc"}`}>
          {block.items.map((item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            <li key={index}>{spansOf(item)}</li>
          ))}
        </List>
      );
    }
  }
}

function spansOf(text: string): ReactNode[] {
  // biome-ignore lint/suspicious/noArrayIndexKey: as above
  return proseSpans(text).map((span, index) => <SpanView key={index} span={span} />);
}

function SpanView({ span: { kind, text } }: { span: Span }) {
  switch (kind) {
    case "code":
      return <code className="rounded-sm bg-sunken px-1 font-mono text-[0.88em]">{text}</code>;
    case "bold":
      return <strong>{text}</strong>;
    case "italic":
      return <em>{text}</em>;
    case "text":
      return text;
  }
}
