import { LinkButton } from "../kit/button.tsx";
import { PageHeader } from "../kit/page-header.tsx";

interface Props {
  readonly title?: string;
  readonly description?: string;
}

/** The page for addresses that no page has, or no more. */
export function NotFound({
  title = "There is no such page",
  description = "The address may be mistyped, or what it showed was deleted.",
}: Props) {
  return (
    <div className="mx-auto max-w-lg px-4 py-16 text-center">
      <p className="mb-2 font-mono text-ink-soft">404</p>
      <div className="[&_header>div]:justify-center">
        <PageHeader title={title} description={description} />
      </div>
      <LinkButton to="/" kind="primary" icon="overview">
        To the overview
      </LinkButton>
    </div>
  );
}
