import type { ReactNode } from "react";
import { Badge } from "../../kit/badge.tsx";
import { CodeBlock } from "../../kit/code-block.tsx";
import { Icon } from "../../kit/icon.tsx";
import type { Failure } from "./wire/failure.ts";

/** A failure: its sentence, and the body exactly as the endpoint sends it to programs. */
export function FailureView({ failure, action }: { failure: Failure; action?: ReactNode }) {
  const { status, message, type, code, body } = failure;
  return (
    <div role="alert" className="min-w-0 space-y-3 rounded-lg bg-danger-soft p-3.5 text-danger-ink">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <Icon name="warning" className="mt-0.5 size-4.5" />
        <p className="min-w-0 flex-1 basis-48 break-words">{message}</p>
        {action}
      </div>
      <p className="flex flex-wrap gap-1.5">
        {status !== null && <Badge>Status {status}</Badge>}
        {code !== null && <Badge>{code}</Badge>}
        {type !== null && type !== code && <Badge>{type}</Badge>}
      </p>
      {body !== null && (
        <div className="text-ink">
          <CodeBlock code={body} label="error as it came" />
        </div>
      )}
    </div>
  );
}
