import { PendingPage } from "../pending-page.tsx";

export function KeyPage() {
  return <PendingPage title="Key" icon="key" />;
}
