import { useLocation } from "@tanstack/react-router";
import { LinkButton } from "../kit/button.tsx";
import { useChosenInSight, useScrollEdges } from "../kit/scrollable.tsx";
import { useUrlState } from "../kit/url-state.ts";
import { type Section, type SectionPage, sectionAt } from "./sections.ts";

/** The section and the page of it that is shown; null outside of the administrators' pages. */
export function useSection() {
  const path = useLocation({ select: ({ pathname }) => pathname });
  const [{ kind }] = useUrlState("kind");
  return sectionAt(path, kind);
}

/** The pages of the section that is shown, as links like tabs, where it has several. */
export function SectionTabs() {
  const shown = useSection();
  if (shown === null || shown.section.pages.length < 2) return null;
  return <Tabs key={shown.section.label} section={shown.section} chosen={shown.page} />;
}

function Tabs({ section, chosen }: { section: Section; chosen: SectionPage }) {
  const { box, onScroll } = useScrollEdges<HTMLElement>();
  useChosenInSight(box, chosen.label);
  return (
    <nav
      ref={box}
      onScroll={onScroll}
      aria-label={section.label}
      className="tab-row -mt-2 mb-5 flex gap-1 border-b border-line"
    >
      {section.pages.map((page) => (
        <LinkButton
          key={page.label}
          kind="quiet"
          to={page.to}
          search={page.kind === undefined ? {} : { kind: page.kind }}
          aria-current={page === chosen ? "page" : undefined}
          className={page === chosen ? "rounded-b-none border-b-2 border-accent text-ink" : "rounded-b-none"}
        >
          {page.label}
        </LinkButton>
      ))}
    </nav>
  );
}
