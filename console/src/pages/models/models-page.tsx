import { PendingPage } from "../pending-page.tsx";

export function ModelsPage() {
  return <PendingPage title="Models" icon="models" />;
}
