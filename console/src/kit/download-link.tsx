import { Icon } from "./icon.tsx";

/** A link that downloads a file: a table as CSV, unless its words say otherwise. */
export function DownloadLink({ href, children = "Download CSV" }: { href: string; children?: string }) {
  return (
    <a
      href={href}
      download
      className="inline-flex min-h-8 items-center gap-2 rounded-lg border border-line bg-surface px-2.5 text-[0.87rem] font-medium shadow-lift hover:border-line-strong"
    >
      <Icon name="download" />
      {children}
    </a>
  );
}
