import { PendingPage } from "../pending-page.tsx";

export function RequestsPage() {
  return <PendingPage title="Requests" icon="requests" />;
}
