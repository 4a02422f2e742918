import { PendingPage } from "../pending-page.tsx";

export function AliasesPage() {
  return <PendingPage title="Aliases" icon="alias" />;
}
