import type { ReactNode } from "react";
import { CopyButton } from "../../kit/copy-button.tsx";
import { Input } from "../../kit/input.tsx";
import { Notice } from "../../kit/states.tsx";
import { Time } from "../../kit/values.tsx";

/** A sign-in link, shown once: with a copy button and what to do with the link. */
export function OneTimeLink({ link, expires_at, children }: { link: string; expires_at: string; children: ReactNode }) {
  return (
    <div className="space-y-4">
      <p>{children}</p>
      <div className="flex flex-wrap items-end gap-2">
        <Input
          label="Link"
          mono
          readOnly
          value={link}
          onFocus={(event) => event.target.select()}
          className="min-w-0 flex-1 basis-64"
        />
        <CopyButton value={link} text_label="Copy link" />
      </div>
      <Notice tone="warn">
        It is shown this once and cannot be looked up again. It works one time and expires <Time at={expires_at} />.
      </Notice>
    </div>
  );
}
