/** Tells password managers whose password a form asks for. */
export function HiddenUsername(props: { readonly username: string | undefined }) {
  return (
    <input
      class="visually-hidden"
      tabIndex={-1}
      aria-hidden="true"
      autocomplete="username"
      readonly
      value={props.username ?? ''}
    />
  );
}
