export function SignInPage() {
  return <p>Sign in</p>;
}
