import { PendingPage } from "../pending-page.tsx";

export function AuditPage() {
  return <PendingPage title="Audit log" icon="audit" />;
}
