/**
 * Runs pkg's single-executable mode on one task in JSON, `{ main, target, seaConfig }`. A process of its
 * own, since pkg takes its cache and its work folder from HOME and TMPDIR, and changes the working
 * directory. pkg's command line can pass neither assets nor arguments for Node.js; this module can.
 */
const childProcess = require('node:child_process');
const { promisify } = require('node:util');

// pkg gives the Node.js that makes the blob no option of its own, and without this one the code cache in it
// would differ from one time to the next.
const { execFile } = childProcess;
const inPromise = promisify(execFile);
childProcess.execFile = Object.assign((...all) => execFile(...all), {
  [promisify.custom]: (file, args, ...rest) =>
    inPromise(file, args[0] === '--experimental-sea-config' ? ['--predictable', ...args] : args, ...rest),
});

const { default: makeExecutable } = require('@yao-pkg/pkg/lib-es5/sea.js');

const { main, target, seaConfig } = JSON.parse(process.argv[2]);
makeExecutable(main, { targets: [target], signature: false, seaConfig }).catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
