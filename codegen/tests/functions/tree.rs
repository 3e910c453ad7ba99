//! Program text as a tree, so that a program that fails can be made smaller without knowing what it says.

/// What may stand in a node's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// Nothing else.
    Fixed,
    /// Nothing at all, or a statement of its own.
    Statement,
    /// Nothing at all.
    Optional,
    /// An integer expression of its own.
    Number,
    /// A value of its own.
    Value,
    /// A condition of its own.
    Condition,
}

/// A piece of a program.
#[derive(Clone, Debug)]
pub struct Node {
    parts: Vec<Part>,
    sort: Sort,
    simpler: Vec<String>,
}

/// Text, or a piece that may change on its own.
#[derive(Clone, Debug)]
pub enum Part {
    /// Stays as it is.
    Text(String),
    /// May change.
    Piece(Node),
}

impl From<&str> for Part {
    fn from(text: &str) -> Part {
        Part::Text(text.to_owned())
    }
}

impl From<String> for Part {
    fn from(text: String) -> Part {
        Part::Text(text)
    }
}

impl From<&String> for Part {
    fn from(text: &String) -> Part {
        Part::Text(text.clone())
    }
}

impl From<Node> for Part {
    fn from(node: Node) -> Part {
        Part::Piece(node)
    }
}

impl From<&Node> for Part {
    fn from(node: &Node) -> Part {
        Part::Piece(node.clone())
    }
}

impl From<Vec<Node>> for Part {
    fn from(nodes: Vec<Node>) -> Part {
        Part::Piece(Node {
            parts: nodes.into_iter().map(Part::Piece).collect(),
            sort: Sort::Fixed,
            simpler: Vec::new(),
        })
    }
}

/// `join![a, b, c]`: a node of texts and nodes.
macro_rules! join {
    ($($part:expr),* $(,)?) => { $crate::generator::tree::Node::new(vec![$($crate::generator::tree::Part::from($part)),*]) };
}
pub(crate) use join;

impl Node {
    /// A piece that stays as a whole, whose own pieces may change.
    pub fn new(parts: Vec<Part>) -> Node {
        Node { parts, sort: Sort::Fixed, simpler: Vec::new() }
    }

    /// The same piece of another sort.
    pub fn sort(mut self, sort: Sort) -> Node {
        self.sort = sort;
        self
    }

    /// The same piece, in whose place one of these may stand.
    pub fn or(mut self, simpler: &[&str]) -> Node {
        self.simpler.extend(simpler.iter().map(|s| (*s).to_owned()));
        self
    }

    /// A statement that may be left out.
    pub fn statement(self) -> Node {
        self.sort(Sort::Statement)
    }

    /// The text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) {
        for part in &self.parts {
            match part {
                Part::Text(own) => text.push_str(own),
                Part::Piece(node) => node.write(text),
            }
        }
    }

    fn pieces(&self) -> impl Iterator<Item = &Node> {
        self.parts.iter().filter_map(|part| match part {
            Part::Piece(node) => Some(node),
            Part::Text(_) => None,
        })
    }

    /// Number of nodes.
    pub fn count(&self) -> usize {
        1 + self.pieces().map(Node::count).sum::<usize>()
    }

    fn at(&mut self, index: &mut usize) -> Option<&mut Node> {
        if *index == 0 {
            return Some(self);
        }
        *index -= 1;
        for part in &mut self.parts {
            if let Part::Piece(node) = part {
                let size = node.count();
                if *index < size {
                    return node.at(index);
                }
                *index -= size;
            }
        }
        None
    }

    /// What may stand in this node's place, the smallest first.
    fn replacements(&self) -> Vec<Node> {
        let mut all = Vec::new();
        if self.text().is_empty() {
            return all;
        }
        if matches!(self.sort, Sort::Statement | Sort::Optional) {
            all.push(Node::new(Vec::new()));
        }
        let own = self.text();
        let texts = self.simpler.iter().filter(|s| s.len() < own.len());
        all.extend(texts.map(|s| Node::new(vec![Part::from(s)])));
        if !matches!(self.sort, Sort::Fixed | Sort::Optional) {
            self.pieces().for_each(|node| node.nearest(self.sort, &mut all));
        }
        all
    }

    fn nearest(&self, sort: Sort, all: &mut Vec<Node>) {
        if self.sort == sort {
            all.push(self.clone());
        } else {
            self.pieces().for_each(|node| node.nearest(sort, all));
        }
    }

    /// The tree with its `index`-th node changed in the `way`-th way; nothing when there is no such way.
    fn changed(&self, index: usize, way: usize) -> Option<Node> {
        let mut tree = self.clone();
        let mut left = index;
        let node = tree.at(&mut left)?;
        *node = node.replacements().into_iter().nth(way)?;
        Some(tree)
    }

    /// A smaller tree that still fails, after at most `most` tries.
    pub fn shrink(self, most: usize, fails: &dyn Fn(&Node) -> bool) -> Node {
        let (mut tree, mut tries) = (self, 0);
        loop {
            let before = tree.text();
            let mut index = 0;
            while index < tree.count() {
                let mut way = 0;
                while let Some(smaller) = tree.changed(index, way) {
                    tries += 1;
                    if tries > most {
                        return tree;
                    }
                    if fails(&smaller) {
                        (tree, way) = (smaller, 0);
                    } else {
                        way += 1;
                    }
                }
                index += 1;
            }
            if tree.text() == before {
                return tree;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Node, Sort};

    #[test]
    fn shrinking_keeps_what_fails() {
        let item = |text: &str| join![text].statement();
        let tree = join!["{", vec![item("a;"), join!["if (x) ", item("b;")].statement(), item("c;")], "}"];
        let smaller = tree.shrink(100, &|tree: &Node| tree.text().contains("b;"));
        assert_eq!(smaller.text(), "{b;}");
        let sum = join![join!["x + y"].sort(Sort::Number).or(&["1"]), " < n"];
        assert_eq!(sum.shrink(100, &|tree: &Node| tree.text().ends_with('n')).text(), "1 < n");
    }
}
