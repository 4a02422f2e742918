import { PendingPage } from "../pending-page.tsx";

export function KeysPage() {
  return <PendingPage title="Keys" icon="key" />;
}
