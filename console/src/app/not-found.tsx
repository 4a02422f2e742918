import { LinkButton } from "../kit/button.tsx";
import { PageHeader } from "../kit/page-header.tsx";

/** The page for addresses that no page has, or no more. */
export function NotFound() {
  return (
    <Missing title="There is no such page" description="The address may be mistyped, or what it showed was deleted." />
  );
}

interface MissingProps {
  readonly title: string;
  readonly description: string;
}

/** The page for something that is not there, or no more. */
export function Missing({ title, description }: MissingProps) {
  return (
    <div className="mx-auto max-w-lg px-4 py-16 text-center">
      <p className="mb-2 font-mono text-ink-soft">404</p>
      <div className="[&_header>div]:justify-center [&_h1]:justify-center">
        <PageHeader title={title} description={description} />
      </div>
      <LinkButton to="/" kind="primary" icon="overview">
        To the overview
      </LinkButton>
    </div>
  );
}
