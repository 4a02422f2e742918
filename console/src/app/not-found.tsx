import { LinkButton } from "../kit/button.tsx";
import { PageHeader } from "../kit/page-header.tsx";

/** The page for addresses that no page has. */
export function NotFound() {
  return (
    <div className="mx-auto max-w-lg px-4 py-16 text-center">
      <p className="mb-2 font-mono text-ink-soft">404</p>
      <div className="[&_header>div]:justify-center">
        <PageHeader
          title="There is no such page"
          description="The address may be mistyped, or what it showed was deleted."
        />
      </div>
      <LinkButton to="/" kind="primary" icon="overview">
        To the overview
      </LinkButton>
    </div>
  );
}
