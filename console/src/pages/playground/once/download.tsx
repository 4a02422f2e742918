import { Icon } from "../../../kit/icon.tsx";

/** Has the browser keep an answer's bytes as a file. */
export function Download({ url, name }: { url: string; name: string }) {
  return (
    <a
      href={url}
      download={name}
      className="inline-flex min-h-8 items-center gap-2 rounded-lg border border-line bg-surface px-2.5 text-[0.87rem] font-medium shadow-lift hover:border-line-strong"
    >
      <Icon name="download" />
      Download <span className="sr-only">{name}</span>
    </a>
  );
}
