import { PendingPage } from "../pending-page.tsx";

export function RequestPage() {
  return <PendingPage title="Request" icon="requests" />;
}
