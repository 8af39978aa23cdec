// Package roleblock checks the MCP service blocks of Ansible roles, and computes what the clients among them find.
//
// A block is the mapping in roles/<role>/meta/mcp.yml, bare or under the key mcp. With it go meta/services.yml (services,
// ports, and the flag mcp_consumer by which clients declare themselves and servers refuse them), the users.yml of the tree
// and meta/users.yml of roles (for the role mcp), the files/ of a role (for the specification of an adapter) and
// meta/categories.yml of the tree (for the names of entries). docs/roles.md explains them to those who write them.
//
// Lint reads a tree once. Each YAML file becomes nodes with places (parse), the nodes of a block become facts that outlive
// them (block, facts), and the facts of all roles make the Model, on which admission, presence and discovery are computed.
// The rules, grouped by what they are about (groups), are run over a file, a block or a role; each is one entry with its
// description, its examples and its check.
//
// A value that is templated or invalid is undetermined: one rule says so, and no other rule builds on it. So a block never
// has two findings for one cause, but mending one may bring up another.
package roleblock
