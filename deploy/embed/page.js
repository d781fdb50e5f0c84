const state = document.querySelector('#state');

// Called once per session: a ticket works once.
const ticketOf = (kind) => async () =>
  (await (await fetch(`/ticket/${kind}`, { method: 'POST' })).json()).ticket;

const terminal = document.querySelector('sallyport-terminal');
terminal.getTicket = ticketOf('terminal');
terminal.addEventListener('ready', ({ detail }) => {
  state.textContent = `Connected to ${detail.server_name}`;
});
terminal.addEventListener('exit', ({ detail }) => {
  state.textContent = `The shell ended with code ${detail.code}`;
});

const files = document.querySelector('sallyport-files');
const place = document.querySelector('#place');
files.getTicket = ticketOf('files');
files.addEventListener('title', ({ detail }) => {
  place.textContent = `Files in ${detail.title}`;
});

for (const element of [terminal, files])
  element.addEventListener('error', ({ detail }) => {
    state.textContent = `${detail.message} (${detail.code})`;
  });
