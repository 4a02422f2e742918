import { PendingPage } from "../pending-page.tsx";

export function VendorsPage() {
  return <PendingPage title="Vendors" icon="vendors" />;
}
