import type { ReactNode } from "react";
import { ApiError, messageOf } from "../api/api-error.ts";
import { Button } from "./button.tsx";
import { cx } from "./cx.ts";
import { Icon, type IconName } from "./icon.tsx";

/** Stands in for an empty list: says what the list will hold, and offers to make the first entry. */
export function EmptyState({
  icon,
  title,
  children,
  action,
}: {
  icon: IconName;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center px-6 py-12 text-center">
      <span className="mb-3 flex size-11 items-center justify-center rounded-full bg-sunken text-ink-soft">
        <Icon name={icon} className="size-5.5" />
      </span>
      <p className="text-[1.05rem] font-semibold">{title}</p>
      {children && <div className="mt-1 max-w-md text-ink-soft">{children}</div>}
      {action && <div className="mt-4 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}

/** Stands in for content that could not be loaded: says why, and offers to try again. */
export function ErrorState({
  error,
  onRetry,
  title = "This could not be loaded",
}: {
  error: unknown;
  onRetry?: () => void;
  title?: string;
}) {
  const request_id = error instanceof ApiError ? error.request_id : null;
  return (
    <div role="alert" className="flex flex-col items-center px-6 py-12 text-center">
      <span className="mb-3 flex size-11 items-center justify-center rounded-full bg-danger-soft text-danger-ink">
        <Icon name="warning" className="size-5.5" />
      </span>
      <p className="text-[1.05rem] font-semibold">{title}</p>
      <p className="mt-1 max-w-md text-ink-soft">{messageOf(error)}</p>
      {request_id && <p className="mt-1 font-mono text-[0.8rem] text-ink-soft">{request_id}</p>}
      {onRetry && (
        <Button className="mt-4" icon="refresh" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** A grey line or block of the size of the content that is loading. */
export function Skeleton({ className = "h-4 w-full" }: { className?: string }) {
  return <div aria-hidden="true" className={cx("skeleton", className)} />;
}

/** A page of tiles with figures (`grid`: their columns) and blocks below them (`blocks`: their heights), while it is loading. */
export function PageSkeleton(props: { tiles: number; grid?: string; tile?: string; blocks: readonly string[] }) {
  const { tiles, grid = "grid-cols-2 lg:grid-cols-4", tile = "h-25", blocks } = props;
  return (
    <div role="status" className="space-y-5">
      <span className="sr-only">Loading</span>
      <div className={cx("grid gap-3", grid)}>
        {Array.from({ length: tiles }, (_, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the tiles are all alike
          <Skeleton key={at} className={cx("rounded-xl", tile)} />
        ))}
      </div>
      {blocks.map((height, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the blocks stay where they are
        <Skeleton key={at} className={cx("rounded-xl", height)} />
      ))}
    </div>
  );
}

/** Lines in the place of a list or a table that is loading. */
export function SkeletonRows({ rows = 5 }: { rows?: number }) {
  return (
    <div role="status" className="space-y-4 px-5 py-5">
      <span className="sr-only">Loading</span>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
        <div key={row} className="flex gap-6">
          <Skeleton className="h-4 w-1/3" />
          <Skeleton className="h-4 w-1/4" />
          <Skeleton className="ml-auto h-4 w-16" />
        </div>
      ))}
    </div>
  );
}

interface Loadable<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly refetch: () => unknown;
}

/**
 * The states of a query in one place: a skeleton until there is an answer, the error where there is none, else the
 * content. A loaded answer stays when a later refresh fails.
 */
export function Loaded<Data>({
  query,
  skeleton,
  children,
}: {
  query: Loadable<Data>;
  skeleton?: ReactNode;
  children: (data: Data) => ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  return skeleton ?? <SkeletonRows />;
}

/** A sentence in a coloured box: the error of a form, or advice before the user goes on. */
export function Notice({
  tone = "info",
  children,
  action,
}: {
  tone?: "info" | "warn" | "danger" | "good";
  children: ReactNode;
  action?: ReactNode;
}) {
  const tones = {
    info: "bg-info-soft text-info-ink",
    warn: "bg-warn-soft text-warn-ink",
    danger: "bg-danger-soft text-danger-ink",
    good: "bg-good-soft text-good-ink",
  };
  return (
    <div
      role={tone === "danger" ? "alert" : undefined}
      className={cx("flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg px-3.5 py-2.5 text-[0.92rem]", tones[tone])}
    >
      <Icon name={tone === "good" ? "check" : tone === "info" ? "info" : "warning"} className="size-4.5" />
      <div className="min-w-0 flex-1 basis-48">{children}</div>
      {action}
    </div>
  );
}
