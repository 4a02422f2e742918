import { PendingPage } from "../pending-page.tsx";

export function UsagePage() {
  return <PendingPage title="Usage" icon="usage" />;
}
