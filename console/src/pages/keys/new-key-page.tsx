import { PendingPage } from "../pending-page.tsx";

export function NewKeyPage() {
  return <PendingPage title="New key" icon="key" />;
}
