/** The pages on which the API can be read and tried. No inline script, style or handler: see content-security.ts. */

const DOCUMENTS = {
  management: { title: 'Brume, management', path: '/docs', document: '/openapi.json' },
  data: { title: 'Brume, data plane', path: '/docs/data', document: '/openapi-data.json' },
} as const;

export function documentPage(shown: keyof typeof DOCUMENTS): string {
  const { title, document } = DOCUMENTS[shown];
  const links = Object.values(DOCUMENTS).map(({ title: name, path }) => `<a href="${path}">${name}</a>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/page.css">
</head>
<body>
<nav>${links.join(' ')}</nav>
<div id="api" data-document="${document}"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/page.js"></script>
</body>
</html>
`;
}

/** Fetches the document from the plane itself: the same scheme, host and port, whatever they are. */
export const PAGE_SCRIPT = `const api = document.getElementById('api');
window.SwaggerUIBundle({
  domNode: api,
  url: api.dataset.document,
  validatorUrl: null,
  deepLinking: true,
  docExpansion: 'list',
  persistAuthorization: false,
});
`;

export const PAGE_STYLE = `body { margin: 0; font-family: sans-serif; }
nav { padding: 0.75rem 1.5rem; border-bottom: 1px solid #ddd; }
nav a { margin-right: 1.5rem; }
`;
