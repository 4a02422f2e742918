import { useState } from "react";
import { Button, IconButton } from "./button.tsx";
import { toastError } from "./toast.tsx";

const TOLD_MS = 2_000;

/** Copies a text and confirms it. With `text_label` a full button, else an icon. */
export function CopyButton({
  value,
  label = "Copy",
  text_label,
  className,
}: {
  value: string;
  label?: string;
  text_label?: string;
  className?: string;
}) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setCopied(true);
      setTimeout(() => setCopied(false), TOLD_MS);
    } catch {
      toastError(new Error("The browser did not allow copying. Select the text and copy it by hand."));
    }
  };
  const status = (
    <span role="status" className="sr-only">
      {copied ? "Copied" : ""}
    </span>
  );
  if (text_label !== undefined)
    return (
      <Button icon={copied ? "check" : "copy"} onClick={() => void copy()} className={className}>
        {copied ? "Copied" : text_label}
        {status}
      </Button>
    );
  return (
    <>
      <IconButton icon={copied ? "check" : "copy"} label={label} onClick={() => void copy()} className={className} />
      {status}
    </>
  );
}

/** An id or a secret in fixed-width letters with its copy button. */
export function Copyable({ value, shown = value }: { value: string; shown?: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-0.5">
      <code className="min-w-0 truncate rounded-md bg-sunken px-1.5 py-0.5 font-mono text-[0.85rem]">{shown}</code>
      <CopyButton value={value} label={`Copy ${shown}`} className="relative size-7" />
    </span>
  );
}
