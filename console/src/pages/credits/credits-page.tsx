import { PendingPage } from "../pending-page.tsx";

export function CreditsPage() {
  return <PendingPage title="Credits" icon="credits" />;
}
