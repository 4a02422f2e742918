import { PendingPage } from "../pending-page.tsx";

export function ModelPage() {
  return <PendingPage title="Model" icon="models" />;
}
