import { PendingPage } from "../pending-page.tsx";

export function VendorPage() {
  return <PendingPage title="Vendor" icon="vendors" />;
}
