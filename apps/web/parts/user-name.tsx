import './user-name.css';

/** A username in a table; a long one is cut so that the other columns keep their room. */
export function UserName(props: { name: string }) {
  return (
    <span class="user-name" title={props.name}>
      {props.name}
    </span>
  );
}
