import { PendingPage } from "../pending-page.tsx";

export function PlaygroundPage() {
  return <PendingPage title="Playground" icon="playground" />;
}
