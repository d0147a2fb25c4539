// The sandbox as a new user of the official Node clients meets it: connect by the printed lines, list, page both ways, retrieve,
// search, delete, and meet each kind of error. Needs Node 18 or later, and the clients in the folder it is started in:
//
//   npm install stripe @pagerduty/pdjs @hubspot/api-client
//   callboard sandbox --port 0 --ports --json > sandbox.json &        (with --tls: NODE_EXTRA_CA_CERTS as it says)
//   node node_clients.mjs sandbox.json
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const told = JSON.parse(readFileSync(process.argv[2], "utf-8"));
const folder = mkdtempSync(join(process.cwd(), "lines-"));
let seen = 0;

async function lines(service, left, credential) {
  const file = join(folder, `${service}${(seen += 1)}.mjs`);
  const code = told.clients[service].set_up.node;
  const usual = /apiKey|"(sk_test_sandbox|sandbox)"/;
  writeFileSync(file, `${credential ? code.replace(usual, JSON.stringify(credential)).replace(/\n.*$/, "") : code}\nexport { ${left} };\n`);
  return import(pathToFileURL(file));
}

async function fails(call, what) {
  await assert.rejects(call, (error) => {
    const got = { name: error.type ?? error.name, status: error.statusCode ?? error.code ?? error.status, code: error.code };
    for (const [name, wanted] of Object.entries(what)) assert.equal(got[name], wanted, `${name}: ${JSON.stringify(got)} ${error.message}`);
    return true;
  });
}

async function payments() {
  const { client, customers } = await lines("payments", "client, customers");
  assert.equal(customers.data.length, 10);
  assert.equal(customers.has_more, true);
  const next = await client.customers.list({ limit: 5, starting_after: customers.data[4].id });
  assert.deepEqual(next.data.map((one) => one.id), customers.data.slice(5).map((one) => one.id));
  const back = await client.customers.list({ limit: 5, ending_before: next.data[0].id });
  assert.deepEqual(back.data.map((one) => one.id), customers.data.slice(0, 5).map((one) => one.id));
  const every = [];
  for await (const one of client.charges.list({ limit: 100 })) every.push(one.id);
  assert.equal(new Set(every).size, every.length);
  assert.ok(every.length > 100);
  const charge = await client.charges.retrieve(every[0], { expand: ["customer", "balance_transaction"] });
  assert.equal(charge.object, "charge");
  const found = await client.charges.search({ query: "status:'succeeded' AND amount>1000", limit: 3 });
  assert.equal(found.object, "search_result");
  assert.equal(found.data.length, 3);
  const quote = (await client.quotes.list({ limit: 1, status: "open" })).data[0];
  assert.ok(quote.id);
  const gone = await client.customers.del(customers.data[0].id);
  assert.deepEqual([gone.id, gone.deleted], [customers.data[0].id, true]);
  assert.equal((await client.customers.retrieve(gone.id)).deleted, true);
  await fails(client.charges.retrieve("ch_nothing"), { name: "StripeInvalidRequestError", status: 404, code: "resource_missing" });
  await fails(client.customers.list({ limit: 101 }), { name: "StripeInvalidRequestError", status: 400 });
  await fails(client.charges.search({ query: "colour:'red'" }), { name: "StripeInvalidRequestError", status: 400 });
  await fails(client.charges.retrieve(every[0], { expand: ["colour"] }), { name: "StripeInvalidRequestError", status: 400 });
  const wrong = (credential) => lines("payments", "client", credential);
  await fails((await wrong("sk_test_unknown")).client.customers.list(), { name: "StripeAuthenticationError", status: 401 });
  await fails((await wrong("rk_test_customer_read")).client.charges.list(), { name: "StripePermissionError", status: 403 });
  const lacking = await client.customers.create({ name: "New" }).catch((error) => error);
  assert.match(lacking.message, /sandbox/);
}

async function incidents() {
  const { client, data } = await lines("incidents", "client, data");
  assert.ok(data.incidents.length > 0);
  const base = told.clients.incidents.api;
  const first = await client({ url: `${base}/incidents`, data: { limit: 2, offset: 0 } });
  const second = await client({ url: `${base}/incidents`, data: { limit: 2, offset: 2 } });
  assert.equal(first.data.incidents.length, 2);
  assert.equal(first.data.more, true);
  assert.equal(new Set([...first.data.incidents, ...second.data.incidents].map((one) => one.id)).size, 4);
  const again = await client({ url: `${base}/incidents`, data: { limit: 2, offset: second.data.offset - 2 } });
  assert.deepEqual(again.data.incidents.map((one) => one.id), first.data.incidents.map((one) => one.id));
  const one = await client({ url: `${base}/incidents/${data.incidents[0].id}` });
  assert.equal(one.data.incident.id, data.incidents[0].id);
  const people = await client({ url: `${base}/users`, data: { query: "an", limit: 5 } });
  assert.ok(people.data.users.length > 0);
  const status = async (url, wanted, use = client) => {
    const response = await use({ url: `${base}${url}` }).catch((error) => error);
    assert.equal(response.status ?? response.response?.status, wanted, `${url}: ${JSON.stringify(response.data)}`);
  };
  await status("/incidents/NOTHING", 404);
  await status("/incidents?since=yesterday-ish", 400);
  await status("/incidents", 401, (await lines("incidents", "client", "unknown-1")).client);
  await status("/incidents", 403, (await lines("incidents", "client", "restricted-1")).client);
}

async function crm() {
  const { client, users } = await lines("crm", "client, users");
  const api = client.settings.users.usersApi;
  const page = await api.getPage(2);
  const next = await api.getPage(2, page.paging.next.after);
  assert.equal(new Set([...page.results, ...next.results].map((one) => one.id)).size, 4);
  assert.equal((await api.getPage(2)).results[0].id, page.results[0].id);
  const last = users.results.at(-1);
  assert.equal((await api.getById(last.id)).email, last.email);
  assert.equal((await api.getById(last.email, "EMAIL")).id, last.id);
  assert.ok((await client.settings.users.rolesApi.getAll()).results.length > 0);
  assert.ok((await client.settings.users.teamsApi.getAll()).results.length > 0);
  await api.archive(last.id);
  await fails(api.getById(last.id), { status: 404 });
  await fails(api.getPage(2, "nowhere"), { status: 400 });
  await fails((await lines("crm", "client", "unknown-1")).client.settings.users.usersApi.getPage(), { status: 401 });
  await fails((await lines("crm", "client", "restricted-1")).client.settings.users.usersApi.getPage(), { status: 403 });
}

let failed = 0;
for (const [name, tried] of Object.entries({ payments, incidents, crm })) {
  try {
    await tried();
    console.log(`${name}: as outside`);
  } catch (error) {
    failed += 1;
    console.log(`${name}: ${error.stack}`);
  }
}
rmSync(folder, { recursive: true });
process.exit(failed);
