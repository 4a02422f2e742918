import { PendingPage } from "../pending-page.tsx";

export function PricesPage() {
  return <PendingPage title="Prices" icon="prices" />;
}
