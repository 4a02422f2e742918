import { CopyButton } from "./copy-button.tsx";
import { Notice } from "./states.tsx";

/** The secret of a new key, in the only answer that has it, to be copied. For a dialog that insists on being read. */
export function NewSecret({ secret }: { secret: string }) {
  return (
    <>
      <Notice tone="warn">Copy the key now. It is not stored and cannot be shown again.</Notice>
      <div className="flex flex-wrap items-center gap-2 rounded-lg border border-line-strong bg-surface p-2 pl-3.5">
        <code data-secret="" className="min-w-0 flex-1 basis-64 font-mono text-[0.92rem] break-all select-all">
          {secret}
        </code>
        <CopyButton value={secret} text_label="Copy key" className="max-sm:w-full" />
      </div>
    </>
  );
}
