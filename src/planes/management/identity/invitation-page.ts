/**
 * The page to which the link of an invitation leads. Its secret stands behind "#", which browsers send to no
 * server; the script takes it out of the address, and posts it. Paths are relative, so that the page works
 * behind a proxy that serves Brume under a path of its own.
 */
export const INVITATION_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Set your password – Brume</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="invitation/page.css">
</head>
<body>
<main>
<h1>Set your password</h1>
<noscript><p class="message">This page needs JavaScript, to keep the secret of your link out of every log. Without it, whoever invited you has a command for curl that does the same.</p></noscript>
<p id="message" class="message" role="alert" tabindex="-1" hidden></p>
<form id="form" method="post" novalidate hidden>
<label for="password">New password</label>
<input id="password" type="password" autocomplete="new-password" required aria-describedby="rule">
<p id="rule">12 to 256 characters, of whatever kind.</p>
<label for="again">The same again</label>
<input id="again" type="password" autocomplete="new-password" required>
<p><input id="shown" type="checkbox"> <label for="shown">Show what I type</label></p>
<button id="send" type="submit">Set password</button>
</form>
</main>
<script src="invitation/page.js"></script>
</body>
</html>
`;

export const INVITATION_SCRIPT = `'use strict';
const at = (id) => document.getElementById(id);
const [form, message, password, again, shown, send] =
  ['form', 'message', 'password', 'again', 'shown', 'send'].map(at);
let secret = '';

function say(text) {
  message.textContent = text;
  message.hidden = text === '';
  if (text !== '') message.focus();
}

function fault(input, text) {
  say(text);
  input.setAttribute('aria-invalid', 'true');
  input.focus();
}

function takeSecret() {
  if (location.hash.length < 2) return;
  secret = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
  say('');
  form.hidden = false;
  password.focus();
}

function refusal(status, problem, retryAfter) {
  if (problem.code === 'unknown_invitation') {
    return 'This link is not good any more: it was used, replaced by a newer one, is older than 24 hours, ' +
      'or whoever made it may not do so any more. ' +
      'Ask whoever invited you for a new one.';
  }
  if (status === 429) {
    const wait = retryAfter === null ? 'a little later' : 'in ' + retryAfter + ' seconds';
    return 'There were too many attempts from your address. Send it again ' + wait + '.';
  }
  const text = problem.detail || problem.title;
  return text ? text : 'Brume answered with an error (' + status + '). Try again later.';
}

async function accept() {
  const answer = await fetch('v1/invitations/accept', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: secret, password: password.value }),
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
  });
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    const text = refusal(answer.status, body, answer.headers.get('retry-after'));
    if (body.field === 'password') fault(password, text);
    else say(text);
    return;
  }
  secret = '';
  form.reset();
  form.remove();
  say('The password of ' + body.login + ' is set, and this link is used up. You can sign in with it now.');
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  for (const input of [password, again]) input.removeAttribute('aria-invalid');
  const length = [...password.value.normalize('NFC')].length;
  if (length < 12 || length > 256) {
    fault(password, 'The password must have 12 to 256 characters; this one has ' + length + '.');
    return;
  }
  if (password.value !== again.value) {
    fault(again, 'The two are not the same.');
    return;
  }
  send.disabled = true;
  say('');
  accept()
    .catch(() => say('Brume did not answer, so that nobody knows whether the password was set. Try to send it again; if the link is used up by then, it was.'))
    .finally(() => { send.disabled = false; });
});
shown.addEventListener('change', () => {
  for (const input of [password, again]) input.type = shown.checked ? 'text' : 'password';
});
addEventListener('hashchange', takeSecret);
takeSecret();
if (secret === '') {
  say('The address of this page is not whole: the part behind # is missing. Open the link as you got it, all of it.');
}
`;

export const INVITATION_STYLE = `:root { color-scheme: light dark; }
body { margin: 0; font-family: sans-serif; line-height: 1.5; }
main { max-width: 26rem; margin: 10vh auto; padding: 0 1.5rem; }
h1 { font-size: 1.5rem; }
label { font-weight: bold; }
input[type="password"], input[type="text"] {
  display: block; width: 100%; box-sizing: border-box; margin: 0.25rem 0 1rem; padding: 0.5rem; font-size: 1rem;
}
#rule { margin: -0.75rem 0 1rem; }
#shown + label { font-weight: normal; }
input[aria-invalid="true"] { border: 2px solid #c62828; }
button { padding: 0.5rem 1rem; font-size: 1rem; }
.message { padding: 0.75rem; border: 1px solid; border-left-width: 0.5rem; }
`;
