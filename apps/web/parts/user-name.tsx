import './user-name.css';

/** In a table: a long one gives way to the other columns. */
export function UserName(props: { name: string }) {
  return (
    <span class="user-name" title={props.name}>
      {props.name}
    </span>
  );
}
