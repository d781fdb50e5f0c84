/** The name and its sign: a guarded door. */
export function Brand(props: { large?: boolean }) {
  return (
    <span class="brand" classList={{ 'brand-large': props.large ?? false }}>
      <svg class="brand-sign" viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="7" />
        <path d="M8 26V15a8 8 0 0 1 16 0v11" />
        <path d="m13 16.5 3.2 3-3.2 3" />
      </svg>
      <span class="brand-name">Sallyport</span>
    </span>
  );
}
