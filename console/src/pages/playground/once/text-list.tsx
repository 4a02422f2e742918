import { Button, IconButton } from "../../../kit/button.tsx";
import { Textarea } from "../../../kit/input.tsx";

/** A text of a list in a form; the id keeps its field when others go. */
interface ListedText {
  readonly id: number;
  readonly text: string;
}

export function listed(texts: readonly string[]): readonly ListedText[] {
  return texts.map((text, id) => ({ id, text }));
}

/** The texts that are more than space. */
export function filledOf(texts: readonly ListedText[]): string[] {
  return texts.map(({ text }) => text).filter((text) => text.trim() !== "");
}

interface Props {
  /** What each text is called: "Document". */
  readonly noun: string;
  readonly least: number;
  readonly texts: readonly ListedText[];
  readonly onChange: (texts: readonly ListedText[]) => void;
}

/** Fields for a list of short texts, numbered from 1. */
export function TextList({ noun, least, texts, onChange }: Props) {
  return (
    <div className="space-y-2">
      {texts.map(({ id, text }, at) => (
        <div key={id} className="flex items-start gap-2">
          <span aria-hidden="true" className="w-4 pt-2 text-right text-[0.88rem] text-ink-soft tabular-nums">
            {at + 1}
          </span>
          <Textarea
            label={`${noun} ${at + 1}`}
            hide_label
            rows={1}
            className="flex-1 [&_textarea]:field-sizing-content"
            value={text}
            onChange={(typed) => onChange(texts.map((each) => (each.id === id ? { id, text: typed } : each)))}
          />
          <IconButton
            icon="close"
            label={`Remove ${noun.toLowerCase()} ${at + 1}`}
            disabled={texts.length <= least}
            onClick={() => onChange(texts.filter((each) => each.id !== id))}
          />
        </div>
      ))}
    </div>
  );
}

export function AddText({ noun, texts, most, onChange }: Omit<Props, "least"> & { readonly most: number }) {
  const next = Math.max(-1, ...texts.map(({ id }) => id)) + 1;
  return (
    <Button icon="plus" disabled={texts.length >= most} onClick={() => onChange([...texts, { id: next, text: "" }])}>
      Add a {noun.toLowerCase()}
    </Button>
  );
}
