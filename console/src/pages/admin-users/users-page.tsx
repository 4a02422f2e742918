import { PendingPage } from "../pending-page.tsx";

export function UsersPage() {
  return <PendingPage title="Users" icon="users" />;
}
