import { Link, type LinkProps } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { GuideLink, type GuidePlace } from "./guide-link.tsx";
import { Icon } from "./icon.tsx";

interface Crumb extends Pick<LinkProps, "to" | "params" | "search"> {
  readonly label: string;
}

/** The head of a page: its title (which the window gets too), breadcrumbs and actions. Each page has one. */
export function PageHeader({
  title,
  shown_title,
  description,
  guide,
  breadcrumb = [],
  actions,
}: {
  title: string;
  /** The title as shown, where it has badges or a copy button beside the text. */
  shown_title?: ReactNode;
  description?: ReactNode;
  /** Where the guide tells more of it. */
  guide?: GuidePlace;
  breadcrumb?: readonly Crumb[];
  actions?: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Camino`;
  }, [title]);
  return (
    <header className="mb-5">
      <Breadcrumb crumbs={breadcrumb} />
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <h1 className="flex flex-wrap items-center gap-x-3 gap-y-1 text-[1.55rem] leading-tight font-semibold tracking-tight">
            {shown_title ?? title}
          </h1>
          {(description || guide) && (
            <p className="mt-1 max-w-2xl text-pretty text-ink-soft">
              {description} {guide && <GuideLink to={guide}>Guide</GuideLink>}
            </p>
          )}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
    </header>
  );
}

function Breadcrumb({ crumbs }: { crumbs: readonly Crumb[] }) {
  if (crumbs.length === 0) return null;
  return (
    <nav aria-label="Breadcrumb" className="mb-1.5">
      <ol className="flex flex-wrap items-center gap-1 text-[0.88rem] text-ink-soft">
        {crumbs.map(({ label, ...link }, at) => (
          <li key={label} className="flex items-center gap-1">
            <Icon name={at === 0 ? "chevron-left" : "chevron-right"} className="size-3.5" />
            <Link {...link} className="rounded-sm hover:text-ink hover:underline">
              {label}
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  );
}
