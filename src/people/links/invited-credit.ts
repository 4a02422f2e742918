import type { OwingInvitation } from "../../core/people/users.ts";

/** The account that an invitation's credit goes to, by its id or e-mail: who was invited to no account has one by their e-mail. */
export function accountOfCredit({ account_id, email }: OwingInvitation): string {
  return account_id ?? email;
}

/** The entry of an invitation's credit, with the inviting person as its actor. Its booking id lets it be booked once (docs/design/people.md). */
export function entryOfCredit(invitation: OwingInvitation, account_id: string) {
  return {
    account_id,
    kind: "credit",
    amount_micro: invitation.credit_micro,
    note: `invitation of ${invitation.email}`,
    actor: invitation.made_by,
    booking_id: `invitation-${invitation.id}`,
  } as const;
}
